import { isIPv6 } from 'node:net';

/**
 * The formats that the api-server checks on texts of custom resources (`k8s.io/kube-openapi/pkg/validation/strfmt`), in its reading of them. Any
 * other format is a remark there, so it is one here.
 */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => /^[0-9a-f]{24}$/i.test(text),
  byte: isBase64,
  cidr: isCidr,
  date: isDate,
  'date-time': isDateTime,
  datetime: isDateTime,
  duration: isDuration,
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text) || /^[^<>]*<[^\s@<>]+@[^\s@<>]+>$/.test(text),
  hexcolor: (text) => /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text),
  hostname: isHostname,
  ipv4: isIPv4,
  ipv6: isIPv6,
  mac: (text) => /^([0-9a-f]{2}([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}|[0-9a-f]{4}(\.[0-9a-f]{4}){2})$/i.test(text),
  uri: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) || /^\/\S*$/.test(text),
  uuid: (text) => uuid('[0-9a-f]', '[0-9a-f]').test(text),
  uuid3: (text) => uuid('3', '[0-9a-f]').test(text),
  uuid4: (text) => uuid('4', '[89ab]').test(text),
  uuid5: (text) => uuid('5', '[89ab]').test(text),
};

/** Whether the api-server would look at the format at all. */
export function isCheckedFormat(format: string): boolean {
  return format === 'int32' || Object.hasOwn(FORMATS, format);
}

/** Whether a text has the format; a format that nobody checks is one that every text has. */
export function hasFormat(format: string, text: string): boolean {
  return FORMATS[format]?.(text) ?? true;
}

function uuid(version: string, variant: string): RegExp {
  return new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i');
}

function isBase64(text: string): boolean {
  return text !== '' && /^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

/** One label, or several of which the last is two letters at least. */
function isHostname(text: string): boolean {
  const label = '[\\p{L}\\p{S}0-9]([\\p{L}\\p{S}0-9-]{0,61}[\\p{L}\\p{S}0-9])?';
  return text.length <= 255 && new RegExp(`^(${label}|(${label}\\.)+\\p{L}{2,63})$`, 'u').test(text);
}

function isCidr(text: string): boolean {
  const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? [];
  if (isIPv4(address)) return Number(bits) <= 32;
  return isIPv6(address) && Number(bits) <= 128;
}

/** Zeros in front of a number are taken. */
function isIPv4(text: string): boolean {
  const parts = text.split('.');
  return parts.length === 4 && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255);
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [, date = '', hours = '', minutes = '', seconds = ''] =
    /^(\d{4}-\d{2}-\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/.exec(text) ?? [];
  return isDate(date) && Number(hours) <= 23 && Number(minutes) <= 59 && Number(seconds) <= 59;
}

/** Go's notation (`1h30m`), or one number with a word (`2 days`). */
function isDuration(text: string): boolean {
  if (/^[+-]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text)) return true;
  return /^((?:\d+|\d*\.\d+)\s*(ns|nanos?|nanoseconds?|us|µs|μs|micros?|microseconds?|ms|millis?|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|wks?|weeks?)\s*)$/.test(
    text,
  );
}
