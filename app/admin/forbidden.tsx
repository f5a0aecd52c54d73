/** Shown to editors, with the fonts of these pages: above there are none. */
export { AdminsOnly as default } from '#components/access/admins-only';
