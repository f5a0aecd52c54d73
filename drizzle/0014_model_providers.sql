CREATE TABLE `model_providers` (
	`id` text PRIMARY KEY NOT NULL,
	`base_url` text,
	`api_key` text,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
