CREATE TABLE `presence` (
	`window_id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`entry_id` text NOT NULL,
	`section_id` text,
	`field` text,
	`seen_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `presence_entry` ON `presence` (`entry_id`);