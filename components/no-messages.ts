/** In browsers, in place of the English messages: a page loads the file of its language (shell/in-language). */
export const english = null;
