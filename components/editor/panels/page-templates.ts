import { newPageStrings } from '#components/editor/words.ts';
import type { EntryType, SectionType } from '#server/core/site/content';
import type { JsonObject } from '#server/core/json';

/** A template of a page or post. */
export interface PageTemplate {
  readonly name: string;
  readonly purpose: string;
  /** Suggested title. */
  readonly title: string;
  readonly sections: readonly { readonly type: SectionType; readonly fields: JsonObject }[];
}

const text = (heading: string, body: string) => ({ type: 'text' as const, fields: { heading, body } });
const hero = (heading: string, subheading: string) => ({ type: 'hero' as const, fields: { heading, subheading } });

/** Templates for a type; their texts describe what to write there. */
export function pageTemplates(type: EntryType): readonly PageTemplate[] {
  const { blank, about, contact, offer, notFound, news, event } = newPageStrings.kinds;
  const empty: PageTemplate = { name: blank.name, purpose: blank.purpose, title: '', sections: [] };
  if (type === 'post') {
    return [
      empty,
      { name: news.name, purpose: news.purpose, title: '', sections: [text(news.heading, news.body)] },
      {
        name: event.name,
        purpose: event.purpose,
        title: '',
        sections: [
          text(event.about, event.aboutBody),
          text(event.when, event.whenBody),
          { type: 'call-to-action', fields: { heading: event.come, buttonLabel: event.button } },
        ],
      },
    ];
  }
  return [
    empty,
    {
      name: about.name,
      purpose: about.purpose,
      title: about.title,
      sections: [
        hero(about.who, about.whoBody),
        text(about.began, about.beganBody),
        { type: 'quote', fields: { quote: about.quote, author: about.author } },
      ],
    },
    {
      name: contact.name,
      purpose: contact.purpose,
      title: contact.title,
      sections: [
        hero(contact.heading, contact.body),
        { type: 'form', fields: { heading: contact.form } },
        text(contact.where, contact.whereBody),
      ],
    },
    {
      name: offer.name,
      purpose: offer.purpose,
      title: offer.title,
      sections: [
        hero(offer.title, offer.body),
        { type: 'features', fields: { items: [...offer.points].map((title) => ({ title, body: offer.point })) } },
        { type: 'faq', fields: { heading: offer.faq, items: [{ question: offer.question, answer: offer.answer }] } },
        { type: 'call-to-action', fields: {} },
      ],
    },
    {
      name: notFound.name,
      purpose: notFound.purpose,
      title: '404',
      sections: [
        {
          type: 'hero',
          fields: {
            heading: notFound.heading,
            subheading: notFound.body,
            ctaLabel: notFound.button,
            ctaHref: '/',
          },
        },
      ],
    },
  ];
}
