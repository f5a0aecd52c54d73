import { renderToStaticMarkup } from 'react-dom/server';
import { SWRConfig } from 'swr';
import { expect, it } from 'vitest';
import { paths } from '#components/api/paths.ts';
import { LocalWindows } from '#components/settings/local-windows';
import { listedModel } from '#tests/support/listed-model';

type Item = ReturnType<typeof listedModel>;

function drawn(...items: Item[]): string {
  return renderToStaticMarkup(
    <SWRConfig value={{ provider: () => new Map(), fallback: { [paths.models]: { items } } }}>
      <LocalWindows />
    </SWRConfig>,
  );
}

it.each<[string, Partial<Item>, readonly string[], number]>([
  ['the memory of a window', { memoryBytes: 3_638_400_000 }, ['16,384 tokens take 3.6 GB of memory'], 0],
  [
    'the reason of a learned window, with a button that removes it',
    { learnedWindow: { tokens: 4_096, reason: 'error' }, warning: 'local/m takes 4,096 tokens.' },
    ['local/m takes 4,096 tokens.', 'Remove the learned window of local/m'],
    1,
  ],
  ['both', { memoryBytes: 800_000_000, learnedWindow: { tokens: 4_096, reason: 'cut-prompt' } }, ['800 MB'], 1],
])('shows %s', (_, fields, texts, buttons) => {
  const markup = drawn(listedModel('openai/gpt-4o', {}), listedModel('local/m', fields));
  for (const text of texts) expect(markup).toContain(text);
  expect(markup.match(/<button/g) ?? []).toHaveLength(buttons);
  expect(markup).not.toContain('openai/gpt-4o');
});

it('shows nothing for models whose windows are neither learned nor measured', () => {
  expect(drawn(listedModel('openai/gpt-4o', {}))).toBe('');
});
