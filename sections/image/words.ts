export const imageWords = { name: 'Picture', purpose: 'One picture, with a caption if you like.' };
