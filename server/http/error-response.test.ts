import { databaseBusy } from '#server/core/messages/coded-errors';
import { describe, expect, it } from 'vitest';
import { BudgetReachedError, SiteUnavailableError } from '#server/core/errors';
import { serverText } from '#server/core/messages/server-text';
import { errorResponse, isFault } from '#server/http/error-response';

it('a connected site that does not answer is reported as an upstream failure', async () => {
  const response = errorResponse(new SiteUnavailableError('blog.test cannot be reached (ECONNREFUSED).'));
  expect(response.status).toBe(502);
  expect(await response.json()).toEqual({
    error: { code: 'site_unavailable', message: 'blog.test cannot be reached (ECONNREFUSED).' },
  });
});

it('has the code of its sentence, where it has one', async () => {
  const { text, ...reason } = serverText('budget-conversation', { spent: '$2.00', limit: '$2.00' });
  const response = errorResponse(new BudgetReachedError({ ...reason, text }));
  expect(await response.json()).toEqual({ error: { code: 'budget_reached', message: text, reason } });
});

describe('an unexpected failure', () => {
  const queryFailed = (code: string) =>
    new Error('Failed query: insert into drafts', { cause: Object.assign(new Error('disk I/O'), { code }) });

  it.each([
    ['SQLITE_FULL', 'disk-full', 'The disk that holds the database is full'],
    ['SQLITE_IOERR_WRITE', 'disk-failed', 'The disk that holds the database failed'],
  ])('is reported as a disk error: %s', async (code, reason, message) => {
    const response = errorResponse(queryFailed(code));
    expect(response.status).toBe(503);
    const said = expect.stringContaining(message) as string;
    expect(await response.json()).toEqual({
      error: { code: 'store_unavailable', message: said, reason: { code: reason, params: {} } },
    });
    expect(isFault(queryFailed(code))).toBe(true);
  });

  it('makes no claim about the request, and quotes nothing', async () => {
    const response = errorResponse(queryFailed('SQLITE_CORRUPT'));
    expect(response.status).toBe(500);
    expect(await response.json()).toEqual({
      error: {
        code: 'internal_error',
        message: 'Something went wrong on our side. Try again.',
        reason: { code: 'internal-error', params: {} },
      },
    });
  });
});

it('a busy database says when to try again', () => {
  const response = errorResponse(databaseBusy(15_000));
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
});
