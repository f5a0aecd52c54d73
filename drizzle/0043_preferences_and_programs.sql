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
--> statement-breakpoint
ALTER TABLE `kept_wishes` ADD `confirmed_at` integer;--> statement-breakpoint
-- Preferences of earlier versions were in effect without a confirmation.
UPDATE `kept_wishes` SET `confirmed_at` = `created_at`;
