import type { NewEntry } from '#server/content/content-backend';

/** Where and when. */
export const visitUs: NewEntry = {
  type: 'page',
  title: 'Visit us',
  slug: 'visit-us',
  excerpt: 'The boathouse is open Thursday to Sunday. How to find it, and what to watch out for at high tide.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'The blue door by the slipway',
        subheading: 'Old Ferry Boathouse, Slip Lane, Hollinmouth',
        image: '/images/studio-door.svg',
        imageAlt: 'A white weatherboarded boathouse with a blue double door and a geranium in a pot',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Opening hours',
        body: `| Day | Shop | Wheels |
| --- | --- | --- |
| Thursday | 11 to 5 | 6 to 8 in the evening |
| Friday | 11 to 5 | closed, we pack the kiln |
| Saturday | 10 to 5 | 10 to 1 |
| Sunday | 11 to 3 | kiln opening at 11, every second week |

The shop is the front room. If nobody is there, ring the ship's bell; we are in the back with wet hands.`,
      },
    },
    {
      type: 'image',
      fields: {
        src: '/images/estuary.svg',
        alt: 'View over the estuary from the slipway',
        caption: 'The view from the bench outside. Bring a sandwich.',
      },
    },
    {
      type: 'faq',
      fields: {
        heading: 'Getting here',
        items: [
          {
            question: 'Is there a bus?',
            answer:
              'The 14 from Hollin station stops at the church, every half hour. From there it is seven minutes downhill.',
          },
          {
            question: 'Where can I park?',
            answer:
              'On the quay, not in Slip Lane. Twice a year somebody parks on the slipway and the tide comes to look at the car.',
          },
          {
            question: 'Are dogs welcome?',
            answer: 'Yes, on a lead and away from the drying shelves. Biscuit, our own, will show yours around.',
          },
        ],
      },
    },
  ],
};
