import type { NewEntry } from '#server/content/content-backend';

/** The courses, with their questions. */
export const workshops: NewEntry = {
  type: 'page',
  title: 'Workshops',
  slug: 'workshops',
  excerpt: 'Wheel throwing, hand building and glazing in groups of six, for beginners and for people who are stuck.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Learn to throw, slowly',
        subheading: 'Six wheels, six people, no exam at the end.',
        image: '/images/wheel.svg',
        imageAlt: 'Two hands steadying a tall pot on a turning wheel',
        ctaLabel: 'Ask for a date',
        ctaHref: '/contact',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'How a workshop goes',
        body: `We start with a lump of clay the size of an orange and ten minutes of wedging, which is harder than it
looks and better than coffee. Then everyone sits down at a wheel. Ines goes round and moves your elbows.

By the end you choose **two pieces to keep**. We dry, trim, glaze and fire them, and write to you when they are ready,
usually after four weeks. If one of them cracks, and sometimes one does, you come back and make another. That is not
generosity; it is how pottery works.`,
      },
    },
    {
      type: 'features',
      fields: {
        heading: 'What you can book',
        intro: 'Everything is included: clay, tools, two firings and lunch where there is one.',
        items: [
          {
            title: 'First bowl · 2 hours · £48',
            body: 'Thursday evenings and Saturday mornings. No experience needed, or wanted.',
          },
          {
            title: 'Beginners’ Saturday · 3 hours · £65',
            body: 'Throw in the morning, eat soup, then decorate with slip.',
          },
          {
            title: 'Hand building · 1 day · £110',
            body: 'Pinch, coil and slab. For people who dislike wheels or have met one already.',
          },
          {
            title: 'Glaze weekend · 2 days · £240',
            body: 'Mix twelve glazes from raw materials with Tom and go home with your own tiles.',
          },
        ],
      },
    },
    {
      type: 'gallery',
      fields: {
        heading: 'Made here by beginners',
        images: [
          {
            src: '/images/mugs.svg',
            alt: 'Four mugs in rust, cream, green and blue on a shelf',
            caption: 'Four first mugs',
          },
          {
            src: '/images/bowls-on-shelf.svg',
            alt: 'Three bowls on a shelf',
            caption: 'A family of three, one bowl each',
          },
          {
            src: '/images/glaze-tiles.svg',
            alt: 'Rows of glaze test tiles from green to rust to blue',
            caption: 'Tiles from the glaze weekend',
          },
        ],
      },
    },
    {
      type: 'faq',
      fields: {
        heading: 'Before you book',
        items: [
          {
            question: 'What should I wear?',
            answer: 'Something you can wash. We have aprons. Long nails and clay do not get along.',
          },
          {
            question: 'Can children come?',
            answer: 'From ten years to the hand building days, with a grown-up who also makes something.',
          },
          {
            question: 'Is the studio accessible?',
            answer:
              'There is a ramp, a step-free toilet and one wheel that can be used standing or from a wheelchair. Tell us when you book and we will set it up.',
          },
          {
            question: 'What if I have to cancel?',
            answer:
              'Up to a week before, we move you to another date or give the money back. After that we try to fill the place; if we can, you get the money back too.',
          },
        ],
      },
    },
    {
      type: 'call-to-action',
      fields: {
        heading: 'Giving a workshop as a present?',
        body: 'Vouchers are printed on the letterpress next door and do not expire.',
        buttonLabel: 'Order a voucher',
        buttonHref: '/contact',
      },
    },
  ],
};
