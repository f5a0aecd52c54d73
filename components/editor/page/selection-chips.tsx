import { SquareMousePointer, TextSelect, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { choose, chooseText, type Chosen } from '#components/editor/model/selection.ts';
import { kindName } from '#components/editor/model/field-labels.ts';
import { translator } from '#components/i18n.ts';
import { refocus } from '#components/ui/focus/focus.ts';

const t = translator('pageSections');

/** Chips in the message field for the chosen section and text; both go with the next message unless removed. */
export function SelectionChips({ chosen: { kind, name, text: selected } }: { readonly chosen: Chosen }) {
  return (
    <ul aria-label={t('chip')} className="flex flex-wrap gap-2 px-3 pt-3">
      <Chip
        icon={<SquareMousePointer aria-hidden />}
        label={kindName(kind)}
        words={name}
        onLeaveOut={() => {
          choose(null);
          refocus();
        }}
      />
      {selected !== null && (
        <Chip
          icon={<TextSelect aria-hidden />}
          label={t('selected')}
          words={t('words', { text: selected.replaceAll(/\s+/g, ' ') })}
          onLeaveOut={() => {
            chooseText(null);
            refocus();
          }}
        />
      )}
    </ul>
  );
}

interface ChipProps {
  readonly icon: ReactNode;
  readonly label: string;
  readonly words: string;
  readonly onLeaveOut: () => void;
}

function Chip({ icon, label, words, onLeaveOut }: ChipProps) {
  return (
    <li className="flex h-8 max-w-full animate-rise items-center gap-1.5 rounded-lg border border-accent/40 bg-accent-wash pr-0.5 pl-2 text-sm [&>svg]:size-3.5 [&>svg]:shrink-0 [&>svg]:text-accent">
      {icon}
      <span className="shrink-0 font-medium">{label}</span>
      {words !== '' && <span className="max-w-56 truncate text-ink-2">{words}</span>}
      <button
        type="button"
        aria-label={t('leaveOut', { what: words === '' ? label : t('section', { kind: label, name: words }) })}
        onClick={onLeaveOut}
        className="inline-flex size-7 shrink-0 items-center justify-center rounded-md text-ink-2 transition-colors hover:bg-ink/6 hover:text-ink [&_svg]:size-3.5"
      >
        <X aria-hidden />
      </button>
    </li>
  );
}
