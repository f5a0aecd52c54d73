import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../../shared/data/', import.meta.url));

/** Real transcripts and content live beside the project where they may not be copied into it. */
export function hasSharedData(): boolean {
  const found = existsSync(folder);
  if (!found) process.stderr.write('Skipped: the shared data folder beside the project is missing.\n');
  return found;
}

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

export function readTranscript(name: string): Transcript {
  return JSON.parse(readFileSync(`${folder}transcripts/${name}`, 'utf8')) as Transcript;
}

/** WordPress's own test content, every odd thing that a theme must stand; empty, and said so, where it is not. */
export function themeTestExport(): readonly string[] {
  return hasSharedData() ? [`${folder}content/themeunittestdata.wordpress.xml`] : [];
}
