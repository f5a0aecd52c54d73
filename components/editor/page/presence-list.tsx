import { translator } from '#components/i18n.ts';
import { Tip } from '#components/ui/tip';
import type { Presence } from '#server/core/site/presence';

const t = translator('saving.presence');
/** Most people shown individually; the others are a number. */
const MAX_SHOWN_PEOPLE = 4;

/** Describes what another person on the page is doing. */
export function presenceText({ name, isMe, place }: Presence): string {
  if (isMe) return place === null ? t('hereMyself') : t('writesMyself');
  const who = name ?? t('somebody');
  return place === null ? t('here', { who }) : t('writes', { who });
}

/** Initials of the first and last word of a name: `AL` for Ada Lovelace. */
function initialsOf({ name, isMe }: Presence): string {
  if (isMe) return t('me');
  const words = (name ?? '').trim().split(/\s+/).filter(Boolean);
  const named = words.length > 1 ? [words[0], words.at(-1)] : words;
  const letters = named.map((word) => String.fromCodePoint(word?.codePointAt(0) ?? 0));
  return letters.join('').toLocaleUpperCase() || t('nobody');
}

/**
 * The people who have a page open, as initials; a filled circle marks a person who is editing. Empty: renders nothing.
 */
export function PresenceList({ people }: { readonly people: readonly Presence[] }) {
  if (people.length === 0) return null;
  const rest = people.length - MAX_SHOWN_PEOPLE;
  return (
    <ul aria-label={t('label')} className="flex shrink-0 items-center -space-x-1.5 px-1">
      {people.slice(0, MAX_SHOWN_PEOPLE).map((person) => (
        <PersonMark key={person.id} person={person} />
      ))}
      {rest > 0 && <li className="pl-2.5 text-xs text-ink-3">{t('more', { count: rest })}</li>}
    </ul>
  );
}

function PersonMark({ person }: { readonly person: Presence }) {
  const isWriting = person.place !== null;
  const words = presenceText(person);
  return (
    <li>
      <Tip text={words}>
        <span
          data-writing={isWriting || undefined}
          className="inline-flex size-6 items-center justify-center rounded-full border-2 border-sheet bg-accent-wash text-2xs font-medium text-accent data-writing:bg-accent data-writing:text-accent-ink"
        >
          <span aria-hidden>{initialsOf(person)}</span>
          <span className="sr-only">{words}</span>
        </span>
      </Tip>
    </li>
  );
}
