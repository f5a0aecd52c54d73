import type { LedgerEntry, Thing } from '#server/core/conversation/compactions';
import type { NewMessage } from '#server/core/conversation/messages';
import type { NewPart } from '#server/core/conversation/parts';
import { call, result, text } from '#tests/support/arbitrary-history';
import { pageChange } from '#tests/support/summary-facts';

/* A long day on a site, request by request: pages, prices, pasted texts, changes of mind, undo and refusals. */

/** Something that was said or done, which must be in view or be found later. */
export interface DayFact {
  readonly kind:
    | 'rule'
    | 'prohibition'
    | 'price'
    | 'date'
    | 'name'
    | 'order'
    | 'undone'
    | 'refused'
    | 'promised'
    | 'open';
  /** Number of the request from which on it holds. */
  readonly since: number;
  /** Number of the request from which on it no longer holds. */
  readonly until?: number;
  /** What the view or the answer of a search must contain. */
  readonly expected: RegExp;
  /** What is searched for. */
  readonly query: string;
}

/** What one request adds to the day. */
export interface DayTurn {
  readonly request: string;
  /** The rule in the request that the assistant keeps in mind. */
  readonly keeps?: string;
  /** Calls with their results, and the answer. */
  readonly answered: readonly NewMessage[];
  /** The journal after the turn. */
  readonly journal: readonly LedgerEntry[];
  readonly things: readonly Thing[];
}

const NAMES = [
  'Rye',
  'Spelt',
  'Oats',
  'Barley',
  'Millet',
  'Durum',
  'Einkorn',
  'Emmer',
  'Quinoa',
  'Sorghum',
  'Teff',
  'Maize',
];
const letter = (n: number) =>
  `Dear readers of letter ${n}, ${`the oven number ${n} was built by our grandfather and still bakes every loaf. `.repeat(11)}Yours, the bakers of lane ${n}.`;
const words = (n: number) => `Number ${n} is about grain, water and patience, and a little salt. `;

/** Statements that are made once, by the number of their request. */
const SAID: ReadonlyMap<number, string> = new Map([
  [2, 'Always write the opening hours with a dash.'],
  [4, 'Never touch the page about the family.'],
  [14, 'The harvest festival is on 4 October at the mill.'],
  [22, 'Our new baker is called Marit Solheim.'],
  [34, 'Put the menu in this order: Bread, Cakes, Coffee, Contact.'],
  [44, 'Please remind me to order 40 sacks of flour before we finish.'],
  [62, 'Whether we close in August is still open: I ask my sister.'],
  [74, 'Prices always end in 5 or 0.'],
  [94, 'Do not use photographs of children.'],
  [124, 'The inspection by Mr Okonkwo is on 17 March.'],
  [154, 'The mill is called Ternmoor now.'],
  [184, 'Sort the courses like this: Sourdough, Rolls, Pretzels.'],
]);
const KEPT = [2, 4, 74, 94];

/** Facts of the day; of prices, the newest one at each time. */
export const dayFacts: readonly DayFact[] = [
  { kind: 'rule', since: 2, expected: /opening hours with a dash/, query: 'how to write opening hours' },
  { kind: 'rule', since: 74, expected: /Prices always end in 5 or 0/, query: 'prices end' },
  { kind: 'prohibition', since: 4, expected: /Never touch the page about the family/, query: 'page about the family' },
  { kind: 'prohibition', since: 94, expected: /photographs of children/, query: 'photographs' },
  { kind: 'date', since: 14, expected: /4 October/, query: 'harvest festival' },
  { kind: 'date', since: 124, expected: /17 March/, query: 'inspection' },
  { kind: 'name', since: 22, expected: /Marit Solheim/, query: 'new baker called' },
  { kind: 'name', since: 154, expected: /Ternmoor/, query: 'name of the mill' },
  { kind: 'order', since: 34, expected: /Bread, Cakes, Coffee, Contact/, query: 'menu order' },
  { kind: 'order', since: 184, expected: /Sourdough, Rolls, Pretzels/, query: 'sort the courses' },
  { kind: 'promised', since: 44, expected: /40 sacks of flour/, query: 'remind order flour' },
  { kind: 'open', since: 62, expected: /close in August is still open/, query: 'close in August' },
  ...[3, 93, 203].map((since): DayFact => ({
    kind: 'refused',
    since,
    expected: new RegExp(
      `publish_content refused by the user[^]*${pageId(since)}|${pageId(since)}[^]*(?:declined|refused)`,
    ),
    query: `publish ${pageId(since)}`,
  })),
  ...[7, 107, 207].map((since): DayFact => ({
    kind: 'undone',
    since,
    expected: new RegExp(`${pageId(since)}[^\\n]*(?:undid|undone|Undid)|(?:undid|Undid|undo)[^]*${pageId(since)}`),
    query: `undo ${pageId(since)}`,
  })),
  { kind: 'price', since: 1, until: 151, expected: /loaf (?:now )?costs/, query: 'what does the loaf cost' },
  { kind: 'price', since: 291, expected: new RegExp(`loaf costs ${price(291)}`), query: 'what does the loaf cost' },
];

function pageId(n: number) {
  return `pag_${NAMES[n % NAMES.length]!.toLowerCase()}${Math.floor(n / 10)}`;
}
function price(n: number) {
  return `${3 + Math.floor(n / 10)}.${n % 20 === 1 ? '50' : '95'}`;
}

/** The turns of the day. */
export function scriptedDay(requests: number): DayTurn[] {
  const journal: LedgerEntry[] = [];
  const things = new Map<string, Thing>();
  return Array.from({ length: requests }, (_, n): DayTurn => {
    const title = NAMES[n % NAMES.length]!;
    const id = pageId(n);
    const at = 10_000 + n * 1_000;
    const callId = `call_${n}`;
    const parts: [toolName: string, input: Record<string, string>, output: string, type?: 'error' | 'denied'][] = [];
    const changes: LedgerEntry[] = [];
    const change = (entry: Partial<LedgerEntry>) =>
      changes.push(
        pageChange({
          id,
          title: `${title} ${Math.floor(n / 10)}`,
          at: at + 10 + changes.length,
          toolCallId: `${callId}_${parts.length}`,
          ...entry,
        }),
      );
    let asked = '';
    switch (n % 10) {
      case 0:
        asked = `Make a page "${title}" about the grain, with an introduction of two paragraphs and a picture.`;
        change({ action: 'create', summary: `Created the page "${title}"` });
        parts.push(['create_content', { type: 'page', title, text: words(n).repeat(6) }, `Created ${id}.`]);
        break;
      case 1:
        asked = `The loaf costs ${price(n)} from today on, change it on the price list.`;
        change({
          id: 'pag_prices',
          title: 'Prices',
          action: 'update',
          summary: 'Changed the price list',
          values: [{ field: 'price', before: price(n - 10), after: price(n) }],
        });
        parts.push(['update_section', { ref: 'pag_prices', text: `The loaf costs ${price(n)}` }, 'Changed.']);
        break;
      case 2:
        asked = `Put this letter on the page ${id}:\n\n${letter(n)}`;
        change({ action: 'update', summary: `Changed the text of "${title}"` });
        parts.push(['update_section', { ref: id, text: letter(n) }, `Changed ${id}.`]);
        break;
      case 3:
        asked = `Publish ${id} now.`;
        parts.push(['publish_content', { ref: id }, 'not before the weekend', 'denied']);
        break;
      case 4:
        asked = `Which pages mention number ${n}, and how long are they?`;
        parts.push(['search_content', { query: `number ${n}` }, words(n).repeat(25)]);
        break;
      case 5:
        asked = `Make the heading of ${id} shorter, and its first paragraph friendlier.`;
        change({
          action: 'update',
          summary: `Changed the heading of "${title}"`,
          values: [{ field: 'heading', before: `All about number ${n - 1}`, after: `Number ${n}` }],
        });
        parts.push(
          ['get_content', { ref: id }, words(n).repeat(12)],
          ['update_section', { ref: id, heading: `Number ${n}` }, 'Changed.'],
        );
        break;
      case 6:
        asked = `Publish ${id}, it is good like this.`;
        change({ action: 'publish', summary: `Published "${title}"` });
        parts.push(['publish_content', { ref: id }, `Published ${id}.`]);
        break;
      case 7: {
        asked = `No, undo the change of ${id}, I liked it better before.`;
        change({ action: 'undo', summary: `Undid a change of "${title}"` });
        parts.push(['undo', { ref: id }, `Undid the change of ${id}.`]);
        const former = journal.findLastIndex(({ action }) => action === 'update');
        if (former !== -1) journal[former] = { ...journal[former]!, undone: true };
        break;
      }
      case 8:
        asked = `What do you think of the text about number ${n}? Only tell me.`;
        break;
      default:
        asked = `Delete ${id} again, nobody needs it.`;
        change({ action: 'delete', summary: `Deleted "${title}"` });
        parts.push(
          ['delete_content', { ref: 'unknown' }, 'There is no such page.', 'error'],
          ['delete_content', { ref: id }, `Deleted ${id}.`],
        );
    }
    const said = SAID.get(n);
    const request = said === undefined ? asked : `${said} ${asked}`;
    journal.push(...changes);
    for (const { id: of, title: name, kind, action } of changes) {
      const state = action === 'delete' ? 'deleted' : action === 'publish' ? 'published' : 'draft';
      things.delete(of);
      things.set(of, { id: of, kind, title: name, path: `/${of}`, state });
    }
    const answered = parts.flatMap(([toolName, input, output, type], index): NewMessage[] => {
      const callOf = `${callId}_${index}`;
      return [
        { role: 'assistant', parts: [call(callOf, toolName, input)] },
        {
          role: 'tool',
          parts: [type === undefined ? result(callOf, output, toolName) : failed(callOf, toolName, output, type)],
        },
      ];
    });
    answered.push({ role: 'assistant', parts: [text(`Done with request ${n}. ${words(n).repeat(2)}`)] });
    return {
      request,
      ...(KEPT.includes(n) && said !== undefined && { keeps: said }),
      answered,
      journal: [...journal],
      things: [...things.values()],
    };
  });
}

function failed(toolCallId: string, toolName: string, reason: string, type: 'error' | 'denied'): NewPart {
  const output =
    type === 'error'
      ? ({ type: 'error-text', value: reason } as const)
      : ({ type: 'execution-denied', reason } as const);
  return { type: 'tool-result', content: { toolCallId, toolName, output } };
}
