/** Error of a turn whose provider does not take the key; screens lead from it to where a key is set. */
export const KEY_REFUSED =
  "The model's provider does not accept the API key, or the key may not use this model. The key is set in the file .env.";
