import { createElement, useState } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { type OpenedDialog, useHasBeen, useOpened } from '#components/ui/hooks.ts';

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

it('stays closed for a new opener, and open for the previous one', () => {
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

it('stays true once it was true', () => {
  const told: boolean[] = [];
  function Page() {
    const [step, setStep] = useState(0);
    told[step] = useHasBeen(step === 1);
    if (step < 2) setStep(step + 1);
    return null;
  }
  renderToStaticMarkup(createElement(Page));
  expect(told).toEqual([false, true, true]);
});
