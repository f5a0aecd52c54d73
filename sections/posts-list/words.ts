export const postsListWords = { name: 'Newest posts', purpose: 'The newest posts, by itself up to date.' };
