import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Transcript {
  readonly messages: readonly Record<string, unknown>[];
  /** What the provider reported; `inputTokens` is without the cache. */
  readonly usage: readonly {
    readonly messageIndex: number;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheWriteTokens: number;
  }[];
}

/** The real coding session of 893 messages and 391 calls, 18 of them without a result (tests/fixtures/README.md). */
export function readLongTranscript(): Transcript {
  const file = join(import.meta.dirname, '..', 'fixtures', 'transcripts', 'coding-long.json.gz');
  return JSON.parse(gunzipSync(readFileSync(file)).toString('utf8')) as Transcript;
}
