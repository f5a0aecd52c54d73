export const callToActionWords = {
  name: 'Call to action',
  purpose: 'Asks for one step, with a button.',
  fields: { body: { label: 'Text' } },
};
