<!doctype html>
<html>
<head><?php wp_head(); ?></head>
<body>
<?php wp_nav_menu(['theme_location' => 'primary']); ?>
<?php while (have_posts()): the_post(); ?>
<h1><?php the_title(); ?></h1>
<?php the_content(); ?>
<?php endwhile; ?>
<?php wp_footer(); ?>
</body>
</html>
