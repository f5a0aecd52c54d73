CREATE TABLE `stored_responses` (
	`id` text PRIMARY KEY NOT NULL,
	`owner_id` text NOT NULL,
	`previous_id` text,
	`content` text NOT NULL,
	`size` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `stored_responses_owner` ON `stored_responses` (`owner_id`,`created_at`,`size`);--> statement-breakpoint
CREATE INDEX `stored_responses_created` ON `stored_responses` (`created_at`);