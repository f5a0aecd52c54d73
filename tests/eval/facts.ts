import { randomNumbers } from '#tests/support/random-numbers';

/** What an editor tells early in a session and is asked about at its end. */
export interface Facts {
  readonly openingHours: string;
  readonly phone: string;
  /** Told in the conversation alone: on no page. */
  readonly resellerCode: string;
  readonly pressKit: string;
  readonly dayPrice: string;
  readonly layouts: { readonly chosen: string; readonly rejected: string };
  /** A word that is never to be used. */
  readonly bannedWord: string;
  /** Pages that the plan names, in its order. */
  readonly plan: readonly string[];
}

const PLANNED = ['Glaze Library', 'Kiln Diary', 'Clay Sources', 'Guest Potters', 'Tool Shelf', 'Firing Calendar'];
const BANNED = ['cheap', 'bargain', 'exclusive', 'unique', 'luxury'];
// None of them stands in the texts of the talk.
const LAYOUTS = ['Willow', 'Orchard', 'Lantern', 'Quarry', 'Meadow'];

/** Facts with names and numbers of their own, the same for the same seed. */
export function factsOf(seed: number): Facts {
  const random = randomNumbers(seed);
  const digits = (count: number) =>
    Array.from({ length: count }, (_, at) => (at === 0 ? 1 : 0) + Math.floor(random() * (at === 0 ? 9 : 10))).join('');
  const drawn = (from: readonly string[], count: number) => {
    const left = [...from];
    return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)[0] as string);
  };
  const [chosen, rejected] = drawn(LAYOUTS, 2) as [string, string];
  return {
    openingHours: `9:${digits(2).replace(/^[6-9]/, '4')}`,
    phone: `030 555 ${digits(4)}`,
    resellerCode: `RS-${digits(5)}`,
    pressKit: `https://press.example/kit-${digits(6)}.pdf`,
    dayPrice: `${digits(2)}.${digits(2)}`,
    layouts: { chosen, rejected },
    bannedWord: BANNED[seed % BANNED.length] as string,
    plan: drawn(PLANNED, 4),
  };
}
