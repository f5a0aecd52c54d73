import type { NewEntry } from '#server/content/content-backend';

/** How to reach them. */
export const contact: NewEntry = {
  type: 'page',
  title: 'Contact',
  slug: 'contact',
  excerpt: 'Write, ring or knock. We answer letters too.',
  sections: [
    {
      type: 'hero',
      fields: {
        heading: 'Write, ring or knock',
        subheading: 'We answer letters too, though it takes us a while to find a clean pen.',
      },
    },
    {
      type: 'form',
      fields: {
        heading: 'Send us a note',
        fields: [
          { label: 'Your name', kind: 'text', required: true },
          { label: 'E-mail', kind: 'email', required: true },
          { label: 'Your message', kind: 'textarea', required: true },
        ],
        submitLabel: 'Send the note',
      },
    },
    {
      type: 'text',
      fields: {
        heading: 'Or directly',
        body: `**E-mail:** [hello@tidewrack.example](mailto:hello@tidewrack.example)

**Telephone:** 01632 960 144, Thursday to Sunday. If it rings for long, one of us is centring; please try again.

**Post:** Tidewrack Pottery, Old Ferry Boathouse, Slip Lane, Hollinmouth`,
      },
    },
  ],
};
