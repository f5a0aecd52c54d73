/** How each provider says that a request does not fit its model's context window, collected from their issue trackers. */
export const OVERFLOW_PATTERNS: readonly RegExp[] = [
  // OpenAI, OpenRouter, vLLM, DeepSeek: "maximum context length is 128000 tokens"
  /maximum context length/i,
  // OpenAI (Responses API)
  /exceeds? the (?:model'?s )?(?:maximum )?context (?:window|length|size|limit)/i,
  // Anthropic: "prompt is too long: 209353 tokens > 200000 maximum"; vLLM: "The prompt (total length 25938) is too long"
  /prompt (?:\(.{0,60}\) )?(?:is )?too long/i,
  // Anthropic: "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000"
  /exceed context limit/i,
  // Amazon Bedrock
  /input is too long for (?:the )?requested model/i,
  // Google: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)"
  /input token count.{0,40}exceeds the maximum/i,
  // xAI: "This model's maximum prompt length is 131072 but the request contains 537812 tokens"
  /maximum prompt length is \d/i,
  // LM Studio: "Trying to keep the first 111490 tokens when context the overflows", "the model is loaded with ..."
  /tokens when (?:the )?context (?:the )?overflows/i,
  /tokens to keep from the initial prompt is greater than the context length/i,
  /cannot truncate prompt with n_keep/i,
  // llama.cpp and llama-cpp-python
  /exceeds? the available context size/i,
  /requested tokens \(\d+\) exceed context window/i,
  // Ollama: "input length exceeds the context length", "prompt too long; exceeded max context length"
  /(?:input|prompt)(?: length)? exceed(?:s|ed)? (?:the |max )?(?:max )?context length/i,
  /exceeded max context length/i,
  // vLLM: "The decoder prompt (length 21535) is longer than the maximum model length of 16384"
  /longer than the maximum model length/i,
  // Mistral: "Prompt contains 140000 tokens ... too large for model with 131072 maximum context length"
  /too large for model with \d+/i,
  // Hugging Face TGI: "`inputs` tokens + `max_new_tokens` must be <= 4096", "must have less than 2048 tokens"
  /`inputs`.{0,60}(?:must be <=|must have less than) \d+/i,
  // Groq, Together: "Please reduce the length of the messages or completion"
  /reduce the length of the (?:input )?(?:messages|prompt)/i,
  // Moonshot: "Your request exceeded model token limit: 131072"
  /exceeded model token limit/i,
  /context[ _](?:length|window|size)[ _]exceed/i,
];

/** Codes that say the same. */
export const OVERFLOW_CODES: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'model_context_window_exceeded',
  'token_limit_exceeded',
  'request_too_large',
]);
