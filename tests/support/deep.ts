/** True in `npm run test:deep`, where random inputs are complete, and new in every run. */
export const isDeep = process.env['DEEP'] === '1';
