import { useState } from 'react';

/** A dialog that is opened for something, as `useOpened` gives it. */
export interface OpenedDialog<Target> {
  /** Another one for each opening; null: closed. */
  readonly opened: { readonly target: Target } | null;
  readonly open: (target: Target) => void;
  /** Closes what was open when it was given out: a late answer closes the dialog that asked, not one opened since. */
  readonly close: () => void;
}

/** Whether a dialog is open, and for what. */
export function useOpened<Target = void>(): OpenedDialog<Target> {
  const [opened, setOpened] = useState<{ readonly target: Target } | null>(null);
  return {
    opened,
    open: (target) => setOpened({ target }),
    close: () => setOpened((now) => (now === opened ? null : now)),
  };
}
