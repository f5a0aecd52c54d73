/** Shown to editors. Exported again here because the root layout has no fonts and this one has. */
export { AdminsOnly as default } from '#components/access/admins-only';
