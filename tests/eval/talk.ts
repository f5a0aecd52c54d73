import type { Facts } from '#tests/eval/facts';
import { randomNumbers } from '#tests/support/random-numbers';

/** The pages that the talk makes and asks about later. */
export const FIRST_PAGE = 'Opening Hours';
export const CHANGED_PAGE = 'Resellers';
/** Sentences to be kept for good, word for word. */
export function standingOf({ bannedWord }: Pick<Facts, 'bannedWord'>): readonly [string, string, string] {
  return [
    'Always end a new page with a call to action.',
    `Never use the word "${bannedWord}".`,
    'From now on, always write that the newsletter comes weekly.',
  ];
}

const SENTENCES = [
  'Every piece is thrown by hand and fired twice in the electric kiln behind the shop.',
  'Bring an apron, short nails and a little patience; everything else is on the shelf.',
  'We mix our glazes from wood ash, iron and feldspar, so no two batches come out the same.',
  'Members may book the wheel for two hours a day and store up to twelve pieces on the rack.',
  'Orders leave the studio within three weeks, wrapped in paper that we ask you to use again.',
  'Children from eight years on are welcome when a grown-up shares the table with them.',
  'The clay comes from a pit near Westerwald, where the same family has dug for ninety years.',
  'On the first Saturday of a month the kiln is opened while it is still warm, with tea for whoever comes.',
  'A bowl that cracks in the first firing goes back into the bucket, and nobody has to pay for it.',
  'The shelves by the window are for what dries slowly; please turn a large plate over once a day.',
  'We lend books on glazes for a month, and the shelf trusts you to write your name in the notebook.',
  'Whoever comes by train leaves it at the old harbour and walks along the canal for nine minutes.',
  'The wheel by the door is the quiet one, and it is kept free for those who throw for the first time.',
  'Our cups are made for every day: they stand the dishwasher, the oven and being dropped on grass.',
  'In winter the studio is warm from the kiln alone, so bring a second pullover for the first hour.',
  'Two of us answer the telephone in the morning; in the afternoon our hands are usually in the clay.',
];
const SUBJECTS = ['raku', 'wheel throwing', 'wood ash', 'porcelain', 'slipware', 'stoneware', 'celadon', 'trimming'];

/** Fewer leave no room for what is planted and something between that and the questions. */
export const MIN_TURNS = 14;

/**
 * The requests of an editor, in order: in the first ten stands all that is asked about at the end, then follow varied
 * requests with texts of some length, which touch nothing of that: its ids would be in the newest results again. The same facts, count and seed give the same talk.
 */
export function talkOf(facts: Facts, turns: number, seed: number): string[] {
  const random = randomNumbers(seed ^ 0x5eed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const prose = (sentences: number) => {
    const left = [...SENTENCES];
    return Array.from({ length: sentences }, () => left.splice(Math.floor(random() * left.length), 1)[0]).join(' ');
  };
  const talk = opening(facts, prose);
  const posts: string[] = [];
  const courses: string[] = [];
  const kinds: (() => string)[] = [
    () => {
      const post = `Notes on ${pick(SUBJECTS)}, part ${talk.length}`;
      posts.push(post);
      return `Create a post called "${post}" with the text "${prose(16)}"`;
    },
    () => {
      const course = `${pick(SUBJECTS)} course ${talk.length}`;
      courses.push(course);
      return `Create a page called "${course}" with the text "${prose(14)}"`;
    },
    () => `Add a text section to "${pick(posts)}" with the text "${prose(12)}"`,
    () => `Add a text section to "${pick(courses)}" with the text "${prose(10)}"`,
    () =>
      `Add a faq section to "${pick(posts)}" with the question "What about ${pick(SUBJECTS)}?" and the answer "${prose(4)}"`,
    () => `Change the text of the first text section on "${pick(posts)}" to "${prose(14)}"`,
    () => `Add a quote section to "${pick(posts)}" with the quote "${pick(SENTENCES)}"`,
    () => `Publish "${pick(posts)}"`,
    () => `Find posts about ${pick(SUBJECTS)}`,
    () => `Show me "${pick(posts)}"`,
    () => 'List the posts',
  ];
  // Every kind comes up once, then in random order.
  for (let next = 0; talk.length < turns; next += 1) talk.push((kinds[next] ?? pick(kinds))());
  return talk.slice(0, turns);
}

function opening({ plan, ...facts }: Facts, prose: (sentences: number) => string): string[] {
  const standing = standingOf(facts);
  const pages = plan.map((title) => `"${title}"`);
  return [
    `Create a page called "${FIRST_PAGE}" with the text "Open Tuesday to Saturday from ${facts.openingHours} on. Call us on ${facts.phone}."`,
    `${standing[0]} ${standing[1]}`,
    `The code of our resellers is ${facts.resellerCode}, for your notes. Create a page called "${CHANGED_PAGE}" with the text "${prose(3)}"`,
    `Add a quote section to ${CHANGED_PAGE} with the quote "${prose(1)}"`,
    `Our press kit is at ${facts.pressKit}, for later. Publish ${CHANGED_PAGE}`,
    `A day in the studio costs ${facts.dayPrice} euros from May on, for later. ${standing[2]}`,
    `The new corner of the site gets four pages: ${pages.slice(0, -1).join(', ')} and ${pages.at(-1)}. I tell you when each is due. Create a page called ${pages[0]} with the text "${prose(4)}"`,
    `Of the two layouts we have decided for ${facts.layouts.chosen}, not for ${facts.layouts.rejected}. Change the hero heading on ${CHANGED_PAGE} to "Sold in ${10 + Math.floor(Number(facts.dayPrice) % 80)} shops"`,
    `Create a page called ${pages[1]} with the text "${prose(4)}"`,
    'List the pages',
  ];
}
