export const faqWords = {
  name: 'FAQ',
  purpose: 'Questions that open to their answers.',
  fields: { items: { label: 'Questions', item: 'Question' } },
};
