import type { ContentBackend } from '#server/site/content-backend';
import type { EntryPage } from '#server/core/site/site-lists';
import type { Entry, PatchOp, Section, SectionType } from '#server/core/site/content';
import type { ChangeOrigin } from '#server/core/site/changes';
import { ConflictError, NotFoundError } from '#server/core/errors';
import { createShortId } from '#server/core/ids';
import { randomNumbers } from '#tests/support/random-numbers';

/** One request of an editor, and what it must do to the site, said without any assistant. */
export interface EditingRequest {
  readonly text: string;
  readonly apply: (content: ContentBackend, origin: ChangeOrigin) => Promise<unknown>;
}

const TOPICS = [
  'Pricing',
  'Glazes',
  'Kiln Rental',
  'Gift Cards',
  'Wholesale',
  'Studio Rules',
  'Summer School',
  'Clay Types',
];
const SENTENCES = [
  'Every piece is thrown by hand and fired twice in the electric kiln behind the shop.',
  'Bring an apron, short nails and a little patience; everything else is on the shelf.',
  'We mix our glazes from wood ash, iron and feldspar, and no two batches come out the same.',
  'Members may book the wheel for two hours a day and store up to twelve pieces on the rack.',
  'Orders leave the studio within three weeks, wrapped in paper that we ask you to use again.',
  'Children from eight years on are welcome when a grown-up shares the table with them.',
];

/**
 * A session of varied requests: pages and posts are made, filled, changed, published, looked
 * at and undone. The same seed gives the same session.
 */
export function editingRequests(count: number, seed: number): EditingRequest[] {
  const random = randomNumbers(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const prose = (sentences: number) => Array.from({ length: sentences }, () => pick(SENTENCES)).join(' ');
  const pages: string[] = [];
  const requests: EditingRequest[] = [
    {
      text: 'Create a page called "Opening Hours" with the text "Open from ten to six, Tuesday to Saturday."',
      apply: createEntry('page', 'Opening Hours', 'Open from ten to six, Tuesday to Saturday.'),
    },
    { text: 'Always use British spelling.', apply: nothing },
  ];
  pages.push('Opening Hours');

  const kinds: (() => EditingRequest)[] = [
    () => {
      const title = `${pick(TOPICS)} ${requests.length}`;
      const body = prose(6);
      pages.push(title);
      return {
        text: `Create a page called "${title}" with the text "${body}"`,
        apply: createEntry('page', title, body),
      };
    },
    () => {
      const title = `Notes on ${pick(TOPICS)} ${requests.length}`;
      const body = prose(8);
      return {
        text: `create a post called "${title}" with the text "${body}"`,
        apply: createEntry('post', title, body),
      };
    },
    () => {
      const page = pick(pages);
      const body = prose(5);
      return { text: `Add a text section to ${page} with the text "${body}"`, apply: insert(page, 'text', { body }) };
    },
    () => {
      const page = pick(pages);
      const [question, answer] = [`What about ${pick(TOPICS).toLowerCase()}?`, pick(SENTENCES)];
      const apply = insert(page, 'faq', { items: [{ question, answer }] });
      return { text: `add a faq section to ${page} with the question "${question}" and the answer "${answer}"`, apply };
    },
    () => {
      const page = pick(pages);
      const quote = pick(SENTENCES);
      return {
        text: `add a quote section to ${page} with the quote "${quote}"`,
        apply: insert(page, 'quote', { quote }),
      };
    },
    () => {
      const page = pick(pages);
      const heading = `${pick(TOPICS)}, made simple (${requests.length})`;
      return { text: `Change the hero heading on ${page} to "${heading}"`, apply: setFirst(page, 'hero', { heading }) };
    },
    () => {
      const page = pick(pages);
      const body = prose(4);
      return {
        text: `change the text of the first text section on ${page} to "${body}"`,
        apply: setFirst(page, 'text', { body }),
      };
    },
    () => {
      const page = pick(pages);
      const slug = `page-${requests.length}`;
      const apply = patch(page, () => [{ op: 'set', field: 'slug', value: slug }]);
      return { text: `change the slug of ${page} to ${slug}`, apply };
    },
    () => {
      const page = pick(pages);
      return {
        text: `Publish ${page}`,
        apply: async (content, origin) => content.publish((await content.get(page, 'page')).id, origin),
      };
    },
    () => {
      const [page, heading, body] = [pick(pages), `Both ${requests.length}`, prose(2)];
      const both = [setFirst(page, 'hero', { heading }), insert(page, 'text', { body })];
      return {
        text: `change the hero heading on ${page} to "${heading}" and then add a text section to ${page} with the text "${body}"`,
        apply: async (content, origin) => {
          for (const apply of both) await apply(content, origin);
        },
      };
    },
    () => ({ text: 'undo that', apply: (content, origin) => content.undo(undefined, origin) }),
    () => ({ text: `Show me ${pick(pages)}`, apply: nothing }),
    () => ({ text: `show ${pick(pages)} and list the posts`, apply: nothing }),
    () => ({ text: 'List the pages', apply: nothing }),
    () => ({ text: `find posts about ${pick(['kiln', 'glazes', 'apron', 'wheel'])}`, apply: nothing }),
    () => ({ text: 'What have we done so far?', apply: nothing }),
  ];
  // Every kind comes up, in random order.
  while (requests.length < count)
    requests.push((requests.length < kinds.length + 2 ? (kinds[requests.length - 2] ?? pick(kinds)) : pick(kinds))());
  return requests;
}

async function nothing(): Promise<void> {}

/** Applies a request; one that cannot be done (its page was undone before) changes nothing, as with the assistant. */
export async function replay({ apply }: EditingRequest, content: ContentBackend, origin: ChangeOrigin): Promise<void> {
  try {
    await apply(content, origin);
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
  }
}

function createEntry(type: 'page' | 'post', title: string, body: string): EditingRequest['apply'] {
  const hero = type === 'page' ? [{ type: 'hero' as const, fields: { heading: title } }] : [];
  const sections = [...hero, { type: 'text' as const, fields: { body } }];
  return (content, origin) => content.create({ type, title, sections }, origin);
}

function patch(page: string, operations: (entry: Entry) => PatchOp[]): EditingRequest['apply'] {
  return async (content, origin) => {
    const entry = await content.get(page, 'page');
    return content.patch(entry.id, operations(entry), origin);
  };
}

function insert(page: string, type: SectionType, fields: Section['fields']): EditingRequest['apply'] {
  return patch(page, () => [{ op: 'insert-section', section: { id: createShortId('sec'), type, fields } }]);
}

function setFirst(page: string, type: SectionType, fields: Section['fields']): EditingRequest['apply'] {
  return patch(page, (entry) => [{ op: 'set-section', sectionId: first(entry, type).id, fields }]);
}

function first(entry: Entry, type: SectionType): Section {
  const section = entry.draft.sections.find((candidate) => candidate.type === type);
  if (!section) throw new Error(`"${entry.draft.title}" has no ${type} section.`);
  return section;
}

/** A site's whole content without ids and times, to compare two sites that were made apart. */
export async function siteContent(content: ContentBackend) {
  const plain = ({ title, slug, excerpt, author, tags, image, sections }: Entry['draft']) => ({
    title,
    slug,
    excerpt,
    author,
    tags,
    image,
    sections: sections.map(({ type, fields }) => ({ type, fields })),
  });
  const entries = [];
  for (const type of ['page', 'post'] as const) {
    let cursor: string | undefined;
    do {
      const { items, nextCursor }: EntryPage = await content.query({ type, limit: 100, cursor });
      for (const { id } of items) {
        const { status, draft, published } = await content.get(id, type);
        entries.push({ type, status, draft: plain(draft), published: published && plain(published) });
      }
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
  }
  const sorted = entries.toSorted((a, b) => `${a.type}/${a.draft.slug}`.localeCompare(`${b.type}/${b.draft.slug}`));
  return { entries: sorted, navigation: await content.navigation(), settings: await content.settings() };
}
