CREATE TABLE `model_calibrations` (
	`model_id` text PRIMARY KEY NOT NULL,
	`ratios` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `model_catalogs` (
	`source` text PRIMARY KEY NOT NULL,
	`models` text NOT NULL,
	`fetched_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `settings` (
	`name` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `compactions` ADD `kept_before_summary` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `compactions` ADD `kept_after_summary` text DEFAULT '[]' NOT NULL;