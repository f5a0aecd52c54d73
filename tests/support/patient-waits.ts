import { vi } from 'vitest';

/** As long as `expect.poll` waits (vitest.config.ts); milliseconds. */
const PATIENCE_MS = 60_000;

const { waitFor, waitUntil } = vi;

/** What a test asks for, and patience where it says nothing of that. */
const patient = (options: Parameters<typeof waitFor>[1]) =>
  typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options };

vi.waitFor = (callback, options) => waitFor(callback, patient(options));
vi.waitUntil = (callback, options) => waitUntil(callback, patient(options));
