import { afterEach, beforeEach, expect, vi } from 'vitest';

/** An unexpected `console.error` fails the test it happened in; a test that expects one spies on it itself. */
const errors: unknown[][] = [];

beforeEach(() => {
  errors.length = 0;
  vi.spyOn(console, 'error').mockImplementation((...args: unknown[]) => void errors.push(args));
});

afterEach(() => {
  vi.restoreAllMocks();
  expect(errors, 'unexpected console.error').toEqual([]);
});
