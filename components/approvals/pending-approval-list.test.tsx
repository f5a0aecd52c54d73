import { renderToStaticMarkup } from 'react-dom/server';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import { translator } from '#components/i18n.ts';
import { paths } from '#components/api/paths.ts';
import { WaitingCalls } from '#components/approvals/pending-approval-list';

const t = translator('calls');

const NOTHING = { items: [] };
const FAILED = new Error('The server is busy.');

/** @param editorial state of the calls in conversations of authors; undefined: still loading */
function drawn(role: string, editorial?: { data?: object; error?: Error }): string {
  const cache = new Map<string, object>([
    [paths.me, { data: { kind: 'user', role, id: 'usr_1' } }],
    [paths.callRequests, { data: NOTHING }],
    ...(editorial ? [[paths.editorialCalls, editorial] as const] : []),
  ]);
  return renderToStaticMarkup(
    <SWRConfig value={{ provider: () => cache, fetcher: () => new Promise(() => undefined) }}>
      <WaitingCalls />
    </SWRConfig>,
  );
}

it('shows that nothing is waiting only if both lists are loaded', () => {
  expect(drawn('editor', { data: NOTHING })).toContain(t('empty'));
  expect(drawn('editor')).toContain(t('loading'));
  expect(drawn('editor')).not.toContain(t('empty'));
});

it('shows that the calls of authors could not be loaded', () => {
  const markup = drawn('editor', { error: FAILED });
  expect(markup).toContain(t('loadFailed'));
  expect(markup).toContain(FAILED.message);
  expect(markup).not.toContain(t('empty'));
});

it('does not wait for the calls of authors where the person may not decide them', () => {
  expect(drawn('author')).toContain(t('empty'));
});
