export const heroWords = {
  name: 'Hero',
  purpose: 'Opens a page with a large heading, a few words, a picture and a button.',
  fields: {
    heading: { label: 'Heading', help: 'The first thing that visitors read on this page.' },
    layout: {
      label: 'Layout',
      choices: { '': 'Words first', centered: 'Centred', 'picture-first': 'Picture first' },
    },
  },
};
