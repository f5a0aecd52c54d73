import type { EntryType, SectionType } from '#server/core/content';
import type { JsonObject } from '#server/core/json';

/** What a new page can start with. */
export interface PageKind {
  readonly name: string;
  readonly purpose: string;
  /** Proposed title. */
  readonly title: string;
  readonly sections: readonly { readonly type: SectionType; readonly fields: JsonObject }[];
}

const blank: PageKind = {
  name: 'Blank',
  purpose: 'A title, and nothing else yet.',
  title: '',
  sections: [],
};

const text = (heading: string, body: string) => ({ type: 'text' as const, fields: { heading, body } });
const hero = (heading: string, subheading: string) => ({ type: 'hero' as const, fields: { heading, subheading } });

/** Starting points by type; their texts say what belongs in their place. */
export const pageKinds: Readonly<Record<EntryType, readonly PageKind[]>> = {
  page: [
    blank,
    {
      name: 'About',
      purpose: 'Who you are, what you do, and a quote.',
      title: 'About us',
      sections: [
        hero('Who we are', 'One sentence that says what you do, for whom, and where.'),
        text('How it began', 'Two or three short paragraphs: when you started, why, and what has changed since.'),
        { type: 'quote', fields: { quote: 'What somebody says about working with you.', author: 'Their name' } },
      ],
    },
    {
      name: 'Contact',
      purpose: 'A form, and how else to reach you.',
      title: 'Contact',
      sections: [
        hero('Get in touch', 'When you answer, and how to reach you otherwise.'),
        { type: 'form', fields: { heading: 'Write to us' } },
        text('Where to find us', 'Your address, opening hours, and the way from the station.'),
      ],
    },
    {
      name: 'Offer',
      purpose: 'Points in columns, questions, and a call to action.',
      title: 'What we offer',
      sections: [
        hero('What we offer', 'One sentence that says what people get.'),
        {
          type: 'features',
          fields: {
            items: ['First', 'Second', 'Third'].map((title) => ({ title, body: 'A sentence or two about it.' })),
          },
        },
        {
          type: 'faq',
          fields: {
            heading: 'Questions',
            items: [{ question: 'What does it cost?', answer: 'The price, and what is included.' }],
          },
        },
        { type: 'call-to-action', fields: {} },
      ],
    },
    {
      name: 'Not found',
      purpose: 'What visitors see at an address where there is nothing. Its own address is /404.',
      title: '404',
      sections: [
        {
          type: 'hero',
          fields: {
            heading: 'There is nothing here',
            subheading: 'The page may have moved, or it never existed.',
            ctaLabel: 'Back to the start',
            ctaHref: '/',
          },
        },
      ],
    },
  ],
  post: [
    blank,
    {
      name: 'News',
      purpose: 'What is new, in a few paragraphs.',
      title: '',
      sections: [text('What is new', 'The news in one sentence first. Then who, when and where.')],
    },
    {
      name: 'Event',
      purpose: 'What takes place, when and where, with a button.',
      title: '',
      sections: [
        text('What it is about', 'What people will see and do.'),
        text('When and where', 'Day, time and place. What it costs, and what to bring.'),
        { type: 'call-to-action', fields: { heading: 'Come along', buttonLabel: 'Book a place' } },
      ],
    },
  ],
};
