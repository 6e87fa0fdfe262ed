/** What the api-server has to ask before it answers, and that did not answer it. */
export type Unanswered =
  | { readonly kind: 'Admission'; readonly webhook: string; readonly url: string; readonly why: string }
  | { readonly kind: 'Conversion'; readonly apiVersion: string; readonly of: string; readonly url: string; readonly why: string }
  | { readonly kind: 'APIService'; readonly name: string; readonly why: string };

const ADMISSION = /failed calling webhook "([^"]*)": (?:failed to call webhook: )?(.*)/s;
const CONVERSION = /conversion webhook for (\S+), Kind=(\S+) failed: (.*)/s;
const POST = /^Post "([^"]*)": (.*)$/s;

/** Reads what the api-server says when a webhook did not answer; undefined when it says something else. */
export function readUnanswered(message: string): Unanswered | undefined {
  const admission = ADMISSION.exec(message);
  if (admission !== null) return { kind: 'Admission', webhook: admission[1] ?? '', ...callOf(admission[2] ?? '') };
  const conversion = CONVERSION.exec(message);
  if (conversion === null) return undefined;
  return { kind: 'Conversion', apiVersion: conversion[1] ?? '', of: conversion[2] ?? '', ...callOf(conversion[3] ?? '') };
}

/** `Post "https://hook.ns.svc:443/check?timeout=5s": context deadline exceeded` */
function callOf(words: string): { readonly url: string; readonly why: string } {
  const [, url = '', reason = words] = POST.exec(words) ?? [];
  const seconds = /[?&]timeout=(\d+)s/.exec(url)?.[1];
  const isLate = seconds !== undefined && /deadline exceeded|Client\.Timeout/.test(reason);
  return { url, why: isLate ? `no answer within ${seconds} s (${reason})` : reason };
}

/** What did not answer and why, as far as the api-server tells: `the webhook "a.example.com" does not answer: connection refused`. */
export function unansweredSentence(unanswered: Unanswered): string {
  switch (unanswered.kind) {
    case 'Admission':
      return `the webhook "${unanswered.webhook}" does not answer: ${unanswered.why}`;
    case 'Conversion':
      return `the conversion webhook of ${unanswered.of} (${unanswered.apiVersion}) does not answer: ${unanswered.why}`;
    case 'APIService':
      return `the APIService ${unanswered.name} does not answer: ${unanswered.why}`;
    default:
      return unanswered satisfies never;
  }
}
