import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { type OpenedDialog, useOpened } from '#components/ui/hooks';

/** What the dialog is open for before each step: a step is taken while it is drawn, and so it is drawn again. */
function shownBefore(steps: readonly ((dialog: OpenedDialog<string>) => void)[]): readonly (string | null)[] {
  const shown: (string | null)[] = [];
  function Page() {
    const dialog = useOpened<string>();
    const step = steps[shown.length];
    shown.push(dialog.opened?.target ?? null);
    step?.(dialog);
    return null;
  }
  renderToStaticMarkup(createElement(Page));
  return shown;
}

it('is closed for who has it open, not for who had it open before', () => {
  let closeFirst = () => {};
  const shown = shownBefore([
    ({ open }) => open('kiln'),
    ({ close }) => {
      closeFirst = close;
      close();
    },
    ({ open }) => open('glaze'),
    () => closeFirst(),
    ({ close }) => close(),
  ]);
  expect(shown).toEqual([null, 'kiln', null, 'glaze', 'glaze', null]);
});
