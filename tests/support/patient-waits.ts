import { vi } from 'vitest';

/** As long as `expect.poll` waits (vitest.config.ts); milliseconds. */
const PATIENCE_MS = 30_000;

const { waitFor } = vi;
vi.waitFor = (callback, options = { timeout: PATIENCE_MS }) => waitFor(callback, options);
