export const htmlWords = {
  name: 'HTML',
  purpose: 'For what no other section can hold, written as HTML and cleaned when shown.',
};
