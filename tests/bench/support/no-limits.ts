/** Limits as high as the settings allow, so that only the machine is in the way. */
export const NO_LIMITS = { RUNNING_TURNS: '1000', TURNS_PER_MINUTE: '100000000', REQUESTS_PER_MINUTE: '100000000' };
