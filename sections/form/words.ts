export const formWords = {
  name: 'Form',
  purpose: 'Visitors write to you. What they send is in the library, under Messages.',
  fields: { fields: { label: 'What is asked for', item: 'Field' }, label: { label: 'Name of the field' } },
};
