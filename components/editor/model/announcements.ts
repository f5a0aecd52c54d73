import { atom } from 'nanostores';

/** Result of the last action on a section, for screen readers: set by the action, shown by the tools of the page. */
export const announcement = atom('');
