CREATE TABLE `program_compactions` (
	`id` text PRIMARY KEY NOT NULL,
	`model_id` text NOT NULL,
	`strategy` text NOT NULL,
	`tokens_before` integer NOT NULL,
	`tokens_after` integer NOT NULL,
	`messages_compacted` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`created_at` integer NOT NULL
);
