/** Shown to editors. */
export { AdminsOnly as default } from '#components/access/admins-only';
