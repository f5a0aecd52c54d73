export const galleryWords = {
  name: 'Gallery',
  purpose: 'Several pictures side by side.',
  fields: {
    layout: {
      label: 'Layout',
      choices: { '': 'As many as fit', 'two-columns': 'Two columns', row: 'One row to scroll' },
    },
  },
};
