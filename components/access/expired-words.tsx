import { inYourLanguage } from '#components/in-your-language';

/** Texts for somebody who is not signed in any more. */
export const expiredStrings = inYourLanguage('expiredStrings', {
  title: 'You have been signed out',
  body: 'Sign in to go on. What you have written on this page is kept.',
  elsewhere: 'Sign in another way',
  comeBack: 'in a new tab, then come back to this one.',
});
