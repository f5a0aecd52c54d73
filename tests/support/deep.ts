/** True in `npm run test:deep`, where random inputs are drawn in full, and anew in every run. */
export const isDeep = process.env['DEEP'] === '1';
