export const featuresWords = {
  name: 'Highlights',
  purpose: 'Short points next to each other, each with a title and a few words.',
  fields: {
    items: { label: 'Highlights', item: 'Highlight' },
    body: { label: 'Text' },
    title: { label: 'Title' },
    layout: {
      label: 'Layout',
      choices: {
        '': 'As many as fit',
        'two-columns': 'Two columns',
        'three-columns': 'Three columns',
        'four-columns': 'Four columns',
        list: 'List',
      },
    },
  },
};
