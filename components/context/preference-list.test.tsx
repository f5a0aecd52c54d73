import { renderToStaticMarkup } from 'react-dom/server';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import { paths } from '#components/api/paths.ts';
import { translator } from '#components/i18n.ts';
import { PreferenceList } from '#components/context/preference-list';

const t = translator('preference');

const SESSION = 'ses_1';
const quote = 'Never use exclamation marks.';

function drawn(confirmedAt: number | null): string {
  const items = [{ id: 'kep_1', quote, messageId: 'msg_1', createdAt: 1, confirmedAt }];
  const cache = new Map<string, object>([[paths.preferences(SESSION), { data: { items } }]]);
  return renderToStaticMarkup(
    <SWRConfig value={{ provider: () => cache, fetcher: () => new Promise(() => undefined) }}>
      <PreferenceList sessionId={SESSION} />
    </SWRConfig>,
  );
}

it('offers to keep or reject a proposed preference, and to remove a confirmed one', () => {
  const proposed = drawn(null);
  for (const text of [t('proposed'), t('confirmOf', { quote }), t('rejectOf', { quote })])
    expect(proposed).toContain(text);
  const confirmed = drawn(2);
  expect(confirmed).toContain(t('letGoOf', { quote }));
  expect(confirmed).not.toContain(t('proposed'));
  expect(confirmed).not.toContain(t('confirmOf', { quote }));
});
