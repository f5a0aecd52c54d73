import { translator } from '#components/i18n.ts';
import type { EntryType, SectionType } from '#server/core/site/content';
import type { JsonObject } from '#server/core/json';

const t = translator('newPage.kinds');

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
  const empty: PageTemplate = { name: t('blank.name'), purpose: t('blank.purpose'), title: '', sections: [] };
  if (type === 'post') {
    return [
      empty,
      {
        name: t('news.name'),
        purpose: t('news.purpose'),
        title: '',
        sections: [text(t('news.heading'), t('news.body'))],
      },
      {
        name: t('event.name'),
        purpose: t('event.purpose'),
        title: '',
        sections: [
          text(t('event.about'), t('event.aboutBody')),
          text(t('event.when'), t('event.whenBody')),
          { type: 'call-to-action', fields: { heading: t('event.come'), buttonLabel: t('event.button') } },
        ],
      },
    ];
  }
  return [
    empty,
    {
      name: t('about.name'),
      purpose: t('about.purpose'),
      title: t('about.title'),
      sections: [
        hero(t('about.who'), t('about.whoBody')),
        text(t('about.began'), t('about.beganBody')),
        { type: 'quote', fields: { quote: t('about.quote'), author: t('about.author') } },
      ],
    },
    {
      name: t('contact.name'),
      purpose: t('contact.purpose'),
      title: t('contact.title'),
      sections: [
        hero(t('contact.heading'), t('contact.body')),
        { type: 'form', fields: { heading: t('contact.form') } },
        text(t('contact.where'), t('contact.whereBody')),
      ],
    },
    {
      name: t('offer.name'),
      purpose: t('offer.purpose'),
      title: t('offer.title'),
      sections: [
        hero(t('offer.title'), t('offer.body')),
        {
          type: 'features',
          fields: {
            items: [t('offer.points.first'), t('offer.points.second'), t('offer.points.third')].map((title) => ({
              title,
              body: t('offer.point'),
            })),
          },
        },
        {
          type: 'faq',
          fields: { heading: t('offer.faq'), items: [{ question: t('offer.question'), answer: t('offer.answer') }] },
        },
        { type: 'call-to-action', fields: {} },
      ],
    },
    {
      name: t('notFound.name'),
      purpose: t('notFound.purpose'),
      title: '404',
      sections: [
        {
          type: 'hero',
          fields: {
            heading: t('notFound.heading'),
            subheading: t('notFound.body'),
            ctaLabel: t('notFound.button'),
            ctaHref: '/',
          },
        },
      ],
    },
  ];
}
