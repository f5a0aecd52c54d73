import { strings } from '#lib/strings';

/** Where a turn can stand, as far as it is worth a word. */
export type TurnState = keyof typeof strings.status;

interface StatusAnnouncerProps {
  /** Null: nothing has happened yet. */
  readonly state: TurnState | null;
}

/** Tells screen readers where the turn stands, once per change and never word by word. */
export function StatusAnnouncer({ state }: StatusAnnouncerProps) {
  return (
    <output aria-live="polite" className="sr-only">
      {state === null ? '' : strings.status[state]}
    </output>
  );
}
