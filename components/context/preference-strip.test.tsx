import { renderToStaticMarkup } from 'react-dom/server';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import { paths } from '#components/api/paths.ts';
import { PreferenceStrip } from '#components/context/preference-strip';
import { translator } from '#components/i18n.ts';

const t = translator('preference');
const SESSION = 'ses_1';

function drawn(decisions: readonly (number | null)[]): string {
  const items = decisions.map((confirmedAt, n) => ({
    id: `kep_${n}`,
    quote: 'Short.',
    messageId: 'msg_1',
    createdAt: 1,
    confirmedAt,
  }));
  const cache = new Map<string, object>([[paths.preferences(SESSION), { data: { items } }]]);
  return renderToStaticMarkup(
    <SWRConfig value={{ provider: () => cache, fetcher: () => new Promise(() => undefined) }}>
      <PreferenceStrip sessionId={SESSION} onShow={() => undefined} />
    </SWRConfig>,
  );
}

it('points at proposed preferences until all are decided', () => {
  expect(drawn([null, 2, null])).toContain(t('waiting', { count: 2 }));
  expect(drawn([null])).toContain(t('decide'));
  expect(drawn([2])).toBe('');
  expect(drawn([])).toBe('');
});
