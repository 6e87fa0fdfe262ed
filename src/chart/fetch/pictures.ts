import { LRUCache } from 'lru-cache';
import { AppError } from '../../domain/core/errors.ts';
import { shownAddress } from '../chart-error.ts';
import { createEgressPolicy } from '../../egress/egress-policy.ts';
import { CHART_LIMITS } from '../limits.ts';
import { locate } from './locate.ts';
import { pictureType, type PictureType } from './picture-type.ts';
import { withRemote, type RemoteContext } from './remote.ts';
import { shareWork, type SharedWork } from '../share-work.ts';
import type { ChartLibraryOptions } from '../chart-library.ts';

/** A picture that a chart or the catalogue names. */
export interface Picture {
  readonly type: PictureType;
  readonly bytes: Buffer;
}

/** The pictures of charts, fetched by us, so that nobody's browser tells strangers who looks at what. */
export interface PictureLibrary {
  /** The picture at an https address; undefined when there is none that we show. Rejects with the signal's reason alone. */
  find(address: string, signal: AbortSignal): Promise<Picture | undefined>;
}

export type PictureLibraryOptions = Pick<ChartLibraryOptions, 'mirrors' | 'allowEgress' | 'certificateAuthorities' | 'log'>;

const MEBIBYTE = 1024 * 1024;
const MAX_BYTES = MEBIBYTE;
const CACHE_BYTES = 16 * MEBIBYTE;
const CACHE_ENTRIES = 1000;
const FRESH_MS = 24 * 3_600_000;
const MISSING_MS = 5 * 60_000;
const MAX_AT_ONCE = 24;
const LIMITS = { ...CHART_LIMITS, connectMs: 5000, idleMs: 5000, totalMs: 15_000 };

interface Kept {
  readonly picture: Picture | undefined;
}

/**
 * Makes the library. The egress policy and the mirrors of charts hold, no credentials are sent, and what comes is no larger than 1 MiB and begins as a picture
 * does. Found pictures are kept for a day, missing ones for five minutes, in 16 MiB of memory.
 */
export function createPictureLibrary(options: PictureLibraryOptions): PictureLibrary {
  const context: RemoteContext = {
    locations: { roots: {}, mirrors: options.mirrors },
    policy: createEgressPolicy(options.allowEgress),
    limits: LIMITS,
    certificateAuthorities: options.certificateAuthorities ?? [],
  };
  const kept = new LRUCache<string, Kept>({
    max: CACHE_ENTRIES,
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ picture }) => picture?.bytes.length ?? 1,
  });
  const fetching: SharedWork<Picture | undefined> = new Map();
  const look = async (address: string, signal: AbortSignal): Promise<Picture | undefined> => {
    const picture = await fetchPicture(address, context, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      options.log?.info({ address: shownAddress(address), why: error.message }, 'a picture is not shown');
      return undefined;
    });
    kept.set(address, { picture }, { ttl: picture === undefined ? MISSING_MS : FRESH_MS });
    return picture;
  };
  return {
    find: async (address, signal) => {
      const known = kept.get(address);
      if (known !== undefined) return known.picture;
      if (!fetching.has(address) && fetching.size >= MAX_AT_ONCE) return undefined;
      return shareWork(fetching, address, signal, (stop) => look(address, stop));
    },
  };
}

async function fetchPicture(address: string, context: RemoteContext, signal: AbortSignal): Promise<Picture | undefined> {
  const place = locate(address, context.locations);
  if (place.kind !== 'remote') return undefined;
  return withRemote({ place, accept: 'image/*' }, context, signal, async (answer) => {
    if (answer.kind === 'folder' || (answer.length ?? 0) > MAX_BYTES) return undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_BYTES) return undefined;
    }
    const bytes = Buffer.concat(chunks);
    const type = pictureType(bytes);
    return type === undefined ? undefined : { type, bytes };
  });
}
