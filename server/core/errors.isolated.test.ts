import { describe, expect, it, vi } from 'vitest';
import { InvalidInputError, NotFoundError, ThroughlineError } from '#server/core/errors';

describe('ThroughlineError', () => {
  it('is an instance of its class and the base, not of its siblings', () => {
    const error = new NotFoundError('page', 'pag_1');
    expect(error).toBeInstanceOf(NotFoundError);
    expect(error).toBeInstanceOf(ThroughlineError);
    expect(error).toBeInstanceOf(Error);
    expect(error instanceof InvalidInputError).toBe(false);
    expect(error.code).toBe('not_found');
  });

  it('is recognized when another copy of the module made it', async () => {
    vi.resetModules();
    const copy = await import('#server/core/errors');
    expect(copy.NotFoundError).not.toBe(NotFoundError);
    expect(new copy.NotFoundError('page', 'pag_1') instanceof NotFoundError).toBe(true);
    expect(new copy.NotFoundError('page', 'pag_1') instanceof InvalidInputError).toBe(false);
  });

  it('is nothing that merely looks alike', () => {
    for (const value of [new Error('x'), { code: 'not_found' }, null, 'not_found']) {
      expect(value instanceof ThroughlineError).toBe(false);
    }
  });
});
